// The square sum of a row, from those of its lanes.
#import row
#import square_sum

var<workgroup> square_scratch: array<vec4<u32>, ROWS * MAX_LANES>;

fn row_squares(of_lane: SquareSum, local: u32) -> vec4<u32> {
    if LANES == 1u {
        return pack_square_sum(of_lane);
    }
    workgroupBarrier();
    square_scratch[local] = pack_square_sum(of_lane);
    workgroupBarrier();
    let first = local - local % LANES;
    var total = SquareSum(0.0, 0.0, 0.0, 0u);
    for (var i = 0u; i < LANES; i++) {
        merge_square_sums(&total, square_scratch[first + i]);
    }
    return pack_square_sum(total);
}
