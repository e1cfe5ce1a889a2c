// One tensor of one or more layers from the counter: (rows, columns), padded with zeros to (row count of `padded_rows`,
// 4 `stride`). A thread makes one vec4. `shake` has the last bits of a value to turn over.
#import random

struct Params {
    out_at: u32,
    rows: u32,
    columns: u32,
    padded_rows: u32,
    stride: u32,
    layer_stride: u32,
    tensor: u32,
    first_layer: u32,
    seed: u32,
    uniform_draws: u32,
    shake: u32,
    deviation: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;

fn draws(group: u32, layer: u32) -> vec4<f32> {
    let words = pcg4d(vec4<u32>(group, p.tensor, layer, p.seed));
    if p.uniform_draws == 1u {
        return uniforms(words) * 1.7320508;
    }
    return normals(words);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x / p.stride;
    let column = id.x % p.stride;
    if row >= p.padded_rows {
        return;
    }
    let layer = p.first_layer + id.y;
    var value = vec4<f32>(0.0);
    if row < p.rows {
        let first = row * p.columns + 4u * column;
        if p.columns % 4u == 0u {
            value = draws(first / 4u, layer);
        } else {
            for (var i = 0u; i < 4u; i++) {
                if 4u * column + i < p.columns {
                    value[i] = draws((first + i) / 4u, layer)[(first + i) % 4u];
                }
            }
        }
    }
    value *= p.deviation;
    let shaken = bitcast<vec4<f32>>(bitcast<vec4<u32>>(value) ^ vec4<u32>(p.shake));
    // The padding stays zero.
    out[p.out_at + id.y * p.layer_stride + id.x] = select(shaken, value, value == vec4<f32>(0.0));
}
