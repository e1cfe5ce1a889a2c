// The sum of `count` floats of each of some slabs, from `offset` floats on: results is (slabs), the sum as middle part of
// a square sum, with the largest absolute value. A workgroup makes one.

struct Params {
    values_at: u32,
    results_at: u32,
    count: u32,
    offset: u32,
    slab_stride: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read_write> results: array<vec4<u32>>;

const THREADS = 4u * LANES;
var<workgroup> scratch: array<vec2<f32>, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let at = 4u * (p.values_at + group.x * p.slab_stride) + p.offset;
    var sum = vec2<f32>(0.0);
    for (var i = local; i < p.count; i += THREADS) {
        let value = values[at + i];
        sum = vec2<f32>(sum.x + value, bitcast<f32>(max(bitcast<u32>(sum.y), bitcast<u32>(abs(value)))));
    }
    scratch[local] = sum;
    workgroupBarrier();
    if local == 0u {
        var total = 0.0;
        var bits = 0u;
        for (var i = 0u; i < THREADS; i++) {
            total += scratch[i].x;
            bits = max(bits, bitcast<u32>(scratch[i].y));
        }
        results[p.results_at + group.x] = vec4<u32>(0u, bitcast<u32>(total), 0u, bits);
    }
}
