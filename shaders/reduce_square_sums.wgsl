// Adds up square sums: partials is (outputs, count), results (outputs). A workgroup makes one output;
// where the device is a processor, each of its threads does.
#import square_sum

struct Params {
    partials_at: u32,
    results_at: u32,
    count: u32,
    outputs: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> partials: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<vec4<u32>>;

#if SHARED
var<workgroup> scratch: array<vec4<u32>, 32>;
#end

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>) {
    var sum = SquareSum(0.0, 0.0, 0.0, 0u);
    if SHARED == 0u {
        let output = 32u * group.x + local;
        if output < p.outputs {
            for (var i = 0u; i < p.count; i++) {
                merge_square_sums(&sum, partials[p.partials_at + output * p.count + i]);
            }
            results[p.results_at + output] = pack_square_sum(sum);
        }
        return;
    }
#if SHARED
    for (var i = local; i < p.count; i += 32u) {
        merge_square_sums(&sum, partials[p.partials_at + group.x * p.count + i]);
    }
    scratch[local] = pack_square_sum(sum);
    workgroupBarrier();
    if local == 0u {
        var total = SquareSum(0.0, 0.0, 0.0, 0u);
        for (var i = 0u; i < 32u; i++) {
            merge_square_sums(&total, scratch[i]);
        }
        results[p.results_at + group.x] = pack_square_sum(total);
    }
#end
}
