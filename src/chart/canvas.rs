//! A scene on HTML canvases, through plotters.
//!
//! plotters-canvas takes whole numbers for places and stroke widths, and the backing store's size for its coordinates.
//! Here the backing store has exactly the device's pixels, the context is scaled, and plotters counts in units of a
//! 32nd of a CSS pixel: lines of 2.25 px, any device pixel ratio, and text rasterised at its true size.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, RGBAColor, ShapeStyle, TextStyle};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::{Clamped, JsCast as _};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::heat::Raster;
use super::scene::{Anchor, Cap, Point, Shape};
use super::theme::Color;

/// Units of plotters in a CSS pixel.
const UNITS: f64 = 32.0;

/// A canvas of the page.
pub struct Canvas {
    element: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    /// The font stack of the page.
    font: String,
}

type Area = DrawingArea<Backend, Shift>;

impl Canvas {
    /// A canvas to draw on; `None` where the browser gives no 2D context.
    #[must_use]
    pub fn new(element: HtmlCanvasElement, font: String) -> Option<Self> {
        let context = element.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self { element, context, font })
    }

    /// Clears the canvas and draws shapes in CSS pixels. Makes the backing store fit the size and the device first.
    ///
    /// # Errors
    /// With plotters' words, where the browser refuses a call.
    pub fn draw(&self, shapes: &[Shape], width: f64, height: f64, device_pixel_ratio: f64) -> Result<(), String> {
        self.fit(width, height, device_pixel_ratio)?;
        let scale = device_pixel_ratio / UNITS;
        let scaled = self.context.set_transform(scale, 0.0, 0.0, scale, 0.0, 0.0);
        scaled.map_err(|_| "the canvas refused a transform".to_owned())?;
        self.context.set_line_join("round");

        let inner = CanvasBackend::with_canvas_object(self.element.clone()).ok_or("no 2D context")?;
        let size = ((width * UNITS) as u32, (height * UNITS) as u32);
        let backend = Backend { inner, context: self.context.clone(), size };
        let area = backend.into_drawing_area();
        for shape in shapes {
            self.shape(&area, shape, device_pixel_ratio).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Clears the canvas and puts pixels of the device on it, the first of them at `origin`.
    ///
    /// # Errors
    /// Where the browser refuses a call.
    pub fn put(
        &self,
        raster: &Raster,
        origin: [u32; 2],
        width: f64,
        height: f64,
        device_pixel_ratio: f64,
    ) -> Result<(), String> {
        self.fit(width, height, device_pixel_ratio)?;
        let pixels = Clamped(&raster.pixels[..]);
        let image = ImageData::new_with_u8_clamped_array_and_sh(pixels, raster.width, raster.height);
        let [x, y] = origin.map(f64::from);
        let put = image.and_then(|image| self.context.put_image_data(&image, x, y));
        put.map_err(|_| "the canvas refused pixels".to_owned())
    }

    /// Makes the backing store fit the size and the device, and clears it.
    fn fit(&self, width: f64, height: f64, device_pixel_ratio: f64) -> Result<(), String> {
        let [wide, high] = [width, height].map(|size| (size * device_pixel_ratio).round() as u32);
        if (self.element.width(), self.element.height()) != (wide, high) {
            self.element.set_width(wide);
            self.element.set_height(high);
        }
        let reset = self.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0);
        reset.map_err(|_| "the canvas refused a transform".to_owned())?;
        self.context.clear_rect(0.0, 0.0, f64::from(wide), f64::from(high));
        Ok(())
    }

    fn shape(
        &self,
        area: &Area,
        shape: &Shape,
        device_pixel_ratio: f64,
    ) -> Result<(), plotters::drawing::DrawingAreaErrorKind<<Backend as DrawingBackend>::ErrorType>> {
        match shape {
            Shape::Line { points, color, alpha, width, cap } => {
                self.context.set_line_cap(match cap {
                    Cap::Butt => "butt",
                    Cap::Round => "round",
                });
                area.draw(&PathElement::new(units_of(points), stroke(*color, *alpha, *width)))
            }
            Shape::Hair { from, to, color } => {
                // A whole number of device pixels, on whole device pixels.
                self.context.set_line_cap("butt");
                let pixels = device_pixel_ratio.round().max(1.0);
                let width = pixels / device_pixel_ratio;
                let snap = |value: f64| {
                    ((value * device_pixel_ratio - pixels / 2.0).round() + pixels / 2.0) / device_pixel_ratio
                };
                let mut ends = [*from, *to];
                for end in &mut ends {
                    if from.y == to.y {
                        end.y = snap(end.y);
                    } else {
                        end.x = snap(end.x);
                    }
                }
                area.draw(&PathElement::new(units_of(&ends), stroke(*color, 1.0, width)))
            }
            Shape::Area { points, color, alpha } => area.draw(&Polygon::new(units_of(points), rgba(*color, *alpha))),
            Shape::Disc { center, radius, color, alpha } => {
                area.draw(&Circle::new(units(*center), radius * UNITS, ShapeStyle::from(rgba(*color, *alpha)).filled()))
            }
            Shape::Text { at, text, size, strong, color, alpha, anchor, halo } => {
                let weight = if *strong { FontStyle::Bold } else { FontStyle::Normal };
                let font = FontDesc::new(FontFamily::Name(&self.font), size * UNITS, weight);
                let horizontal = match anchor {
                    Anchor::Start => HPos::Left,
                    Anchor::Middle => HPos::Center,
                    Anchor::End => HPos::Right,
                };
                let color = rgba(*color, *alpha);
                let style = TextStyle::from(font).color(&color).pos(Pos::new(horizontal, VPos::Bottom));
                if let Some(halo) = halo {
                    set_type(&self.context, &style);
                    self.context.set_stroke_style_str(&halo.css());
                    self.context.set_line_width(RIM * UNITS);
                    // Refused only for places that are not finite.
                    let _ = self.context.stroke_text(text, at.x * UNITS, at.y * UNITS);
                }
                area.draw(&Text::new(text.as_str(), units(*at), style))
            }
        }
    }
}

/// Width of the rim that keeps text readable over lines, half of it outside.
const RIM: f64 = 5.0;

/// Font and place of a text: weight 600, which plotters cannot ask for, and by its base line.
fn set_type<S: BackendTextStyle>(context: &CanvasRenderingContext2d, style: &S) {
    let weight = if matches!(style.style(), FontStyle::Bold) { "600" } else { "400" };
    context.set_font(&format!("{weight} {}px {}", style.size(), style.family().as_str()));
    context.set_text_baseline("alphabetic");
    context.set_text_align(match style.anchor().h_pos {
        HPos::Left => "left",
        HPos::Center => "center",
        HPos::Right => "right",
    });
}

fn units(at: Point) -> (i32, i32) {
    ((at.x * UNITS).round() as i32, (at.y * UNITS).round() as i32)
}

fn units_of(points: &[Point]) -> Vec<(i32, i32)> {
    points.iter().map(|point| units(*point)).collect()
}

const fn rgba(color: Color, alpha: f64) -> RGBAColor {
    RGBAColor(color.red, color.green, color.blue, alpha)
}

fn stroke(color: Color, alpha: f64, width: f64) -> ShapeStyle {
    ShapeStyle { color: rgba(color, alpha), filled: false, stroke_width: (width * UNITS).round() as u32 }
}

/// plotters' canvas, in units of its own size, and with type of its own.
struct Backend {
    inner: CanvasBackend,
    context: CanvasRenderingContext2d,
    size: (u32, u32),
}

type Failure = DrawingErrorKind<<CanvasBackend as DrawingBackend>::ErrorType>;

impl DrawingBackend for Backend {
    type ErrorType = <CanvasBackend as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Result<(), Failure> {
        self.inner.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), Failure> {
        self.inner.present()
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Result<(), Failure> {
        self.inner.draw_pixel(point, color)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), Failure> {
        self.inner.draw_path(path, style)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), Failure> {
        self.inner.fill_polygon(corners, style)
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), Failure> {
        self.inner.draw_circle(center, radius, style, fill)
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Result<(), Failure> {
        set_type(&self.context, style);
        let color = style.color();
        let (red, green, blue) = color.rgb;
        self.context.set_fill_style_str(&format!("rgb({red} {green} {blue} / {})", color.alpha));
        let _ = self.context.fill_text(text, f64::from(at.0), f64::from(at.1));
        Ok(())
    }
}
