// What the attention kernels share. Queries q are (B T, H, k), keys and values kv (B T, k | v), each head padded to
// vec4s. Scores and what is made of them are (B, H, ceil(T / 4), T) vec4s: of one key, the scores of 4 queries. A
// workgroup takes TILE times 4 queries of one head of one sequence, LANES lanes to each 4; a lane makes 4 keys at a time,
// so that a load serves 4 products. Where the device is a processor, a barrier costs more than it saves: one lane then.

const TILE = 4u;
const MAX_LANES = 16u;

#if SHARED
var<workgroup> lane_scratch: array<vec4<f32>, TILE * MAX_LANES>;
#end

// What one lane wrote to storage is seen by the others of its workgroup.
fn lanes_barrier() {
#if SHARED
    storageBarrier();
    workgroupBarrier();
#end
}

fn lanes_sum(value: vec4<f32>, local: u32) -> vec4<f32> {
    var total = value;
#if SHARED
    workgroupBarrier();
    lane_scratch[local] = value;
    workgroupBarrier();
    let first = local - local % LANES;
    total = vec4<f32>(0.0);
    for (var i = 0u; i < LANES; i++) {
        total += lane_scratch[first + i];
    }
#end
    return total;
}

fn lanes_max(value: vec4<f32>, local: u32) -> vec4<f32> {
    var total = value;
#if SHARED
    workgroupBarrier();
    lane_scratch[local] = value;
    workgroupBarrier();
    let first = local - local % LANES;
    total = lane_scratch[first];
    for (var i = 1u; i < LANES; i++) {
        total = max(total, lane_scratch[first + i]);
    }
#end
    return total;
}

// Keys that each of 4 queries sees; none for a query past the last one.
fn keys_seen(queries: vec4<u32>, tokens: u32, causal: u32) -> vec4<u32> {
    let seen = select(vec4<u32>(tokens), queries + 1u, vec4<bool>(causal == 1u));
    return select(vec4<u32>(0u), seen, queries < vec4<u32>(tokens));
}

// The products of 4 rows with one.
fn dot4(a0: vec4<f32>, a1: vec4<f32>, a2: vec4<f32>, a3: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(dot(a0, b), dot(a1, b), dot(a2, b), dot(a3, b));
}
