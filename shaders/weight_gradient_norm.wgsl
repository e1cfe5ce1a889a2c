// The squares of the weight gradients X^T G, summed and never written: x is (rows, fan_in), g (rows, 4 group_columns
// for each matrix). A thread makes 8 rows of the gradient by 8 columns in registers; a workgroup leaves one square sum
// in partials: (matrices, y, x) of the dispatch.
// The key gradients of a sequence sum to zero, so the matrix `centred` takes its inputs less those of the sequence's
// first token, as the attention kernels do.
#import square_sum

struct Params {
    x_at: u32,
    g_at: u32,
    partials_at: u32,
    sequences: u32,
    tokens: u32,
    x_stride: u32,
    g_stride: u32,
    group_columns: u32,
    centred: u32,
    tiles_x: u32,
    tiles_y: u32,
}

@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> partials: array<vec4<u32>>;

var<workgroup> square_scratch: array<vec4<u32>, 32>;

@compute @workgroup_size(8, 4)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
) {
    let column = 2u * id.x;
    let x_column = 2u * id.y;
    var squares = SquareSum(0.0, 0.0, 0.0, 0u);
    if column < p.group_columns && x_column < p.x_stride {
        // An odd number of vec4s leaves the second ones of the last thread out.
        let x_second = select(0.0, 1.0, x_column + 1u < p.x_stride);
        let x_step = select(0u, 1u, x_column + 1u < p.x_stride);
        let g_second = select(0.0, 1.0, column + 1u < p.group_columns);
        let g_step = select(0u, 1u, column + 1u < p.group_columns);
        let centre = select(0.0, 1.0, group.z == p.centred);
        var s0 = vec4<f32>(0.0);
        var s1 = vec4<f32>(0.0);
        var s2 = vec4<f32>(0.0);
        var s3 = vec4<f32>(0.0);
        var s4 = vec4<f32>(0.0);
        var s5 = vec4<f32>(0.0);
        var s6 = vec4<f32>(0.0);
        var s7 = vec4<f32>(0.0);
        var s8 = vec4<f32>(0.0);
        var s9 = vec4<f32>(0.0);
        var s10 = vec4<f32>(0.0);
        var s11 = vec4<f32>(0.0);
        var s12 = vec4<f32>(0.0);
        var s13 = vec4<f32>(0.0);
        var s14 = vec4<f32>(0.0);
        var s15 = vec4<f32>(0.0);
        var x_at = p.x_at + x_column;
        var g_at = p.g_at + group.z * p.group_columns + column;
        for (var sequence = 0u; sequence < p.sequences; sequence++) {
            let first = x[x_at] * centre;
            let first_second = x[x_at + x_step] * centre;
            for (var token = 0u; token < p.tokens; token++) {
                let a = x[x_at] - first;
                let b = x[x_at + x_step] - first_second;
                let v = g[g_at];
                let w = g[g_at + g_step];
                s0 += a.x * v;
                s1 += a.y * v;
                s2 += a.z * v;
                s3 += a.w * v;
                s4 += b.x * v;
                s5 += b.y * v;
                s6 += b.z * v;
                s7 += b.w * v;
                s8 += a.x * w;
                s9 += a.y * w;
                s10 += a.z * w;
                s11 += a.w * w;
                s12 += b.x * w;
                s13 += b.y * w;
                s14 += b.z * w;
                s15 += b.w * w;
                x_at += p.x_stride;
                g_at += p.g_stride;
            }
        }
        add_squares(&squares, s0);
        add_squares(&squares, s1);
        add_squares(&squares, s2);
        add_squares(&squares, s3);
        add_squares(&squares, s4 * x_second);
        add_squares(&squares, s5 * x_second);
        add_squares(&squares, s6 * x_second);
        add_squares(&squares, s7 * x_second);
        add_squares(&squares, s8 * g_second);
        add_squares(&squares, s9 * g_second);
        add_squares(&squares, s10 * g_second);
        add_squares(&squares, s11 * g_second);
        add_squares(&squares, s12 * x_second * g_second);
        add_squares(&squares, s13 * x_second * g_second);
        add_squares(&squares, s14 * x_second * g_second);
        add_squares(&squares, s15 * x_second * g_second);
    }
    square_scratch[local] = pack_square_sum(squares);
    workgroupBarrier();
    if local == 0u {
        var total = SquareSum(0.0, 0.0, 0.0, 0u);
        for (var i = 0u; i < 32u; i++) {
            merge_square_sums(&total, square_scratch[i]);
        }
        partials[p.partials_at + (group.z * p.tiles_y + group.y) * p.tiles_x + group.x] = pack_square_sum(total);
    }
}
