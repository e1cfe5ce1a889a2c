// Cross-entropy of each row of logits (rows, classes) against its target, drawn from the counter; the logits become
// their gradient, (softmax - onehot) / rows, in place. Each row leaves its loss in partials, (rows), as the middle part
// of a square sum. A thread takes one row.
#import random
#import finite

struct Params {
    logits_at: u32,
    partials_at: u32,
    rows: u32,
    classes: u32,
    stride: u32,
    tensor: u32,
    layer: u32,
    seed: u32,
    nan_bits: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> logits: array<f32>;
@group(0) @binding(2) var<storage, read_write> partials: array<vec4<u32>>;

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= p.rows {
        return;
    }
    let target_class = pcg4d(vec4<u32>(row / 4u, p.tensor, p.layer, p.seed))[row % 4u] % p.classes;
    let at = 4u * (p.logits_at + row * p.stride);
    var row_max = -3.0e38;
    var finite = true;
    for (var j = 0u; j < p.classes; j++) {
        let logit = logits[at + j];
        finite = finite && is_finite(logit);
        row_max = max(row_max, logit);
    }
    var sum = 0.0;
    for (var j = 0u; j < p.classes; j++) {
        sum += exp(max(logits[at + j] - row_max, -100.0));
    }
    var loss = log(sum) + (row_max - logits[at + target_class]);
    var factor = 1.0 / (sum * f32(p.rows));
    if !finite {
        loss = bitcast<f32>(p.nan_bits);
        factor = loss;
    }
    for (var j = 0u; j < p.classes; j++) {
        logits[at + j] = exp(max(logits[at + j] - row_max, -100.0)) * factor;
    }
    logits[at + target_class] -= 1.0 / f32(p.rows);
    partials[p.partials_at + row] = vec4<u32>(0u, bitcast<u32>(loss), 0u, bitcast<u32>(loss) & 0x7fffffffu);
}
