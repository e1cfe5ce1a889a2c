// A workgroup takes 4 rows, LANES lanes a row. Every lane reads and writes only its own vec4s of the row, so values it
// wrote itself need no barrier. Where the device is a processor, a barrier costs more than it saves: one lane then.

const ROWS = 4u;
const MAX_LANES = 16u;

#if SHARED
var<workgroup> row_scratch: array<vec4<f32>, ROWS * MAX_LANES>;
#end

// Sums xyz and takes the maximum of w over the lanes of a row.
fn row_reduce(value: vec4<f32>, local: u32) -> vec4<f32> {
    var total = value;
#if SHARED
    workgroupBarrier();
    row_scratch[local] = value;
    workgroupBarrier();
    let first = local - local % LANES;
    total = row_scratch[first];
    for (var i = 1u; i < LANES; i++) {
        let other = row_scratch[first + i];
        total = vec4<f32>(total.xyz + other.xyz, max(total.w, other.w));
    }
#end
    return total;
}

fn largest(x: vec4<f32>) -> f32 {
    let a = abs(x);
    return max(max(a.x, a.y), max(a.z, a.w));
}

// 1 where the column is one of the row's `width` features, 0 in the padding.
fn inside(column: u32, width: u32) -> vec4<f32> {
    let at = vec4<u32>(0u, 1u, 2u, 3u) + 4u * column;
    return select(vec4<f32>(0.0), vec4<f32>(1.0), at < vec4<u32>(width));
}
