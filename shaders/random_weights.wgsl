// One tensor of one or more layers from the counter: (rows, columns), laid out as `padded_rows` rows of `stride` vec4s.
// Each `row_segment` rows are padded with zeros to `row_step`, each `column_segment` columns to `column_step`, a multiple
// of 4. A thread makes one vec4. `shake` has the last bits of a value to turn over. `draws` is 0 for normals, 1 for
// uniforms and 2 for ones on the diagonal. A row comes `repeat` times; with `adds` the values are added to what is there.
#import random

struct Params {
    out_at: u32,
    columns: u32,
    padded_rows: u32,
    stride: u32,
    row_segment: u32,
    row_step: u32,
    column_segment: u32,
    column_step: u32,
    layer_stride: u32,
    tensor: u32,
    first_layer: u32,
    seed: u32,
    draws: u32,
    repeat: u32,
    adds: u32,
    shake: u32,
    deviation: f32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;

// The four values that begin at a multiple of 4.
fn drawn(position: u32, layer: u32) -> vec4<f32> {
    let words = pcg4d(vec4<u32>(position / 4u, p.tensor, layer, p.seed));
    if p.draws == 1u {
        return uniforms(words) * 1.7320508;
    }
    return normals(words);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let padded_row = id.x / p.stride;
    if padded_row >= p.padded_rows {
        return;
    }
    let padded_column = id.x % p.stride * 4u;
    let row_inside = padded_row % p.row_step;
    let row = (padded_row / p.row_step * p.row_segment + row_inside) / p.repeat;
    let column_inside = padded_column % p.column_step;
    let column = padded_column / p.column_step * p.column_segment + column_inside;
    let layer = p.first_layer + id.y;
    var value = vec4<f32>(0.0);
    if row_inside < p.row_segment {
        let first = row * p.columns + column;
        if p.draws == 2u {
            value = select(vec4<f32>(0.0), vec4<f32>(1.0), column + vec4<u32>(0u, 1u, 2u, 3u) == vec4<u32>(row));
        } else if first % 4u == 0u {
            value = drawn(first, layer);
        } else {
            for (var i = 0u; i < 4u; i++) {
                value[i] = drawn(first + i, layer)[(first + i) % 4u];
            }
        }
        value = select(vec4<f32>(0.0), value, column_inside + vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(p.column_segment));
    }
    value *= p.deviation;
    let shaken = bitcast<vec4<f32>>(bitcast<vec4<u32>>(value) ^ vec4<u32>(p.shake));
    // The padding stays zero.
    value = select(shaken, value, value == vec4<f32>(0.0));
    let at = p.out_at + id.y * p.layer_stride + id.x;
    if p.adds == 1u {
        value += out[at];
    }
    out[at] = value;
}
