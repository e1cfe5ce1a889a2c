//! How kernels are cut to suit a device. Results differ by rounding alone.

/// What kind of device the kernels are to suit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tuning {
    /// Graphics hardware: many threads that are in each other's reach.
    #[default]
    Graphics,
    /// The processor itself (SwiftShader, llvmpipe): a load costs more than a product, and a barrier more than it saves.
    Processor,
}

/// What a thread of a product makes in registers, and how many threads a workgroup has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Rows; in a gradient norm, vec4s of rows.
    pub rows: u32,
    /// vec4s of columns.
    pub columns: u32,
    /// Threads of a workgroup along the columns and along the rows.
    pub threads: (u32, u32),
}

impl Tile {
    /// Workgroups in x and y that make this many rows and columns, in the tile's units.
    #[must_use]
    pub const fn workgroups(&self, rows: u32, columns: u32) -> (u32, u32) {
        (columns.div_ceil(self.columns * self.threads.0), rows.div_ceil(self.rows * self.threads.1))
    }
}

impl Tuning {
    /// Every one.
    pub const ALL: &'static [Self] = &[Self::Graphics, Self::Processor];

    /// Threads that share a row.
    #[must_use]
    pub const fn lanes(self) -> u32 {
        match self {
            Self::Graphics => 16,
            Self::Processor => 1,
        }
    }

    /// The tile of a matrix product.
    #[must_use]
    pub const fn product(self) -> Tile {
        match self {
            Self::Graphics => Tile { rows: 8, columns: 2, threads: (8, 4) },
            Self::Processor => Tile { rows: 16, columns: 4, threads: (4, 1) },
        }
    }

    /// The tile of a weight gradient and of its norm.
    #[must_use]
    pub const fn gradient(self) -> Tile {
        match self {
            Self::Graphics => Tile { rows: 2, columns: 2, threads: (8, 4) },
            Self::Processor => Tile { rows: 4, columns: 2, threads: (4, 1) },
        }
    }

    /// vec4s of x and of g that share one partial sum of a gradient norm: a workgroup's where its threads add theirs
    /// up, else a thread's.
    #[must_use]
    pub const fn gradient_partial(self) -> (u32, u32) {
        let tile = self.gradient();
        match self {
            Self::Graphics => (tile.rows * tile.threads.1, tile.columns * tile.threads.0),
            Self::Processor => (tile.rows, tile.columns),
        }
    }

    /// Rows of x and of g whose products with as many others one tile of pairs has.
    pub const GRAM_ROWS: u32 = 8;

    /// Threads that share the columns of such a tile.
    #[must_use]
    pub const fn gram_lanes(self) -> u32 {
        let (x, y) = self.product().threads;
        match self {
            Self::Graphics => x * y,
            Self::Processor => 1,
        }
    }

    /// Workgroups along x that look whether a sum over pairs of rows can be believed, and else make the gradients.
    #[must_use]
    pub const fn gram_check_rows(self) -> u32 {
        match self {
            Self::Graphics => 4,
            Self::Processor => 1,
        }
    }

    /// Constants of the kernels, by their names in WGSL.
    pub(super) fn constants(self) -> [(&'static str, u32); 10] {
        let (product, gradient) = (self.product(), self.gradient());
        [
            ("LANES", self.lanes()),
            // Whether threads share what they make; a device that clears shared memory first then need not.
            ("SHARED", u32::from(self.lanes() > 1)),
            ("TILE_ROWS", product.rows),
            ("TILE_COLUMNS", product.columns),
            ("GRADIENT_ROWS", gradient.rows),
            ("GRADIENT_COLUMNS", gradient.columns),
            ("GRAM_ROWS", Self::GRAM_ROWS),
            // Of a thread, once the threads of a workgroup have added up what each of them has.
            ("GRAM_PAIRS", Self::GRAM_ROWS * Self::GRAM_ROWS / self.gram_lanes()),
            // Of both tiles, which one dispatch may make.
            ("THREADS_X", product.threads.0),
            ("THREADS_Y", product.threads.1),
        ]
    }
}
