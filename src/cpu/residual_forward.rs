use crate::cpu::SquareSum;
use crate::cpu::shared::norm::normalise;
use crate::plan::ResidualForward;

/// Twin of `residual_forward.wgsl`: `x`, `branch`, `out` and `side` are (rows, d), `scale` and `partials` (2, rows). Equal to
/// 1e-5 of a row's largest value.
pub(super) fn residual_forward(
    p: &ResidualForward,
    x: &[f32],
    branch: &mut [f32],
    out: &mut [f32],
    scale: &mut [f32],
    partials: &mut [SquareSum],
    side: &mut [f32],
) {
    let (rows, stride, width) = (p.rows as usize, 4 * p.stride as usize, p.width as usize);
    for row in 0..rows {
        let x = &x[row * stride..][..width];
        let branch = &mut branch[row * stride..][..width];
        let out = &mut out[row * stride..][..stride];
        if p.branch_norm == 1 {
            scale[row] = normalise(p.kind, branch, p.width, p.epsilon);
        }
        let mut stream = SquareSum::default();
        out[width..].fill(0.0);
        let out = &mut out[..width];
        for ((out, x), f) in out.iter_mut().zip(x).zip(&*branch) {
            let skipped = p.skip * x;
            stream.add(skipped);
            *out = skipped + f;
        }
        if p.side_mode != 0 {
            let side = &mut side[row * stride..][..width];
            for (((side, out), x), f) in side.iter_mut().zip(&mut *out).zip(x).zip(&*branch) {
                match p.side_mode {
                    1 => *side += f,
                    2 => *side = x + f,
                    3 => *side = *x,
                    _ => *out += *side,
                }
            }
        }
        partials[row] = SquareSum::of(branch);
        partials[rows + row] = if p.profile == 1 { SquareSum::of_sum(branch.iter().sum()) } else { stream };
        if p.sum_norm == 1 {
            scale[rows + row] = normalise(p.kind, out, p.width, p.epsilon);
        }
    }
}
