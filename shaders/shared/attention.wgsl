// What the attention kernels share. qkv is (B T, q | k | v), each part (H, k) padded to a multiple of 4; a workgroup
// takes 4 tokens of one head of one sequence, LANES lanes a token, and at most 256 tokens. Where the device is a
// processor, a barrier costs more than it saves: one lane then.

override LANES = 16u;
const TILE = 4u;
const MAX_LANES = 16u;
const MAX_TOKENS = 256u;

var<workgroup> lane_scratch: array<f32, TILE * MAX_LANES>;

fn lanes_barrier() {
    if LANES > 1u {
        workgroupBarrier();
    }
}

fn lanes_sum(value: f32, local: u32) -> f32 {
    if LANES == 1u {
        return value;
    }
    workgroupBarrier();
    lane_scratch[local] = value;
    workgroupBarrier();
    let first = local - local % LANES;
    var total = 0.0;
    for (var i = 0u; i < LANES; i++) {
        total += lane_scratch[first + i];
    }
    return total;
}

fn lanes_max(value: f32, local: u32) -> f32 {
    if LANES == 1u {
        return value;
    }
    workgroupBarrier();
    lane_scratch[local] = value;
    workgroupBarrier();
    let first = local - local % LANES;
    var total = lane_scratch[first];
    for (var i = 1u; i < LANES; i++) {
        total = max(total, lane_scratch[first + i]);
    }
    return total;
}
