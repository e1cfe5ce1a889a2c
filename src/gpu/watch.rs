//! Who waits for a run, and is told how it goes.

/// Who waits for a run. A function that says whether the run is no longer wanted is one who asks for nothing else.
pub trait Watch {
    /// Whether the result is no longer wanted: asked before each submit.
    fn is_cancelled(&self) -> bool;

    /// Told after each submit which share of the run is done.
    fn progressed(&self, _share: f64) {}
}

impl<F: Fn() -> bool> Watch for F {
    fn is_cancelled(&self) -> bool {
        self()
    }
}

/// One plan of several.
pub(super) struct Stage<'a> {
    pub(super) watch: &'a dyn Watch,
    /// Which share of the run is done before it and after it.
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Watch for Stage<'_> {
    fn is_cancelled(&self) -> bool {
        self.watch.is_cancelled()
    }

    fn progressed(&self, share: f64) {
        self.watch.progressed(self.from + share * (self.to - self.from));
    }
}
