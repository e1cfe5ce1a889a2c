// The square sum of a row, from those of its lanes.
#import row
#import square_sum

#if SHARED
var<workgroup> square_scratch: array<vec4<u32>, ROWS * MAX_LANES>;
#end

fn row_squares(of_lane: SquareSum, local: u32) -> vec4<u32> {
    var total = of_lane;
#if SHARED
    workgroupBarrier();
    square_scratch[local] = pack_square_sum(of_lane);
    workgroupBarrier();
    let first = local - local % LANES;
    total = SquareSum(0.0, 0.0, 0.0, 0u);
    for (var i = 0u; i < LANES; i++) {
        merge_square_sums(&total, square_scratch[first + i]);
    }
#end
    return pack_square_sum(total);
}
