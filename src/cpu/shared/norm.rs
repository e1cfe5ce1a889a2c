//! Twin of `shaders/shared/norm.wgsl`: LayerNorm (kind 0) and RMSNorm (kind 1) of a row.

fn norm_unit(max_abs: f32) -> f32 {
    if max_abs > 2f32.powi(50) { 2f32.powi(-64) } else { 1.0 }
}

/// Normalises a row of `width` features in place; the scale. Padding, which only RMSNorm may meet, is zero and stays so.
pub(in crate::cpu) fn normalise(kind: u32, row: &mut [f32], width: u32, epsilon: f32) -> f32 {
    let width = width as f32;
    let max_abs = row.iter().fold(0f32, |max, x| max.max(x.abs()));
    let unit = norm_unit(max_abs);
    let mean = if kind == 0 { row.iter().map(|x| x * 0.000_976_562_5).sum::<f32>() / width * 1024.0 } else { 0.0 };
    let squares: f32 = row.iter().map(|x| ((x - mean) * unit).powi(2)).sum();
    let scale = unit / (squares / width + epsilon * unit * unit).sqrt();
    for x in row {
        *x = (*x - mean) * scale;
    }
    scale
}

/// The gradient `dy` of a normalised row `y` of `width` features becomes that of the row before its norm; or, for the
/// Jacobian is symmetric, a tangent of that row becomes one of `y`.
pub(in crate::cpu) fn norm_gradient(kind: u32, dy: &mut [f32], y: &[f32], width: u32, scale: f32) {
    let width = width as f32;
    let along = dy.iter().zip(y).map(|(dy, y)| dy * y).sum::<f32>() / width;
    let mean = if kind == 0 { dy.iter().sum::<f32>() / width } else { 0.0 };
    for (dy, y) in dy.iter_mut().zip(y) {
        *dy = (*dy - y * along - mean) * scale;
    }
}
