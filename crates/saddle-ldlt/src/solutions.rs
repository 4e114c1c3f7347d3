//! What all factors of the crate offer their users: solutions, and what happened on the way to them.

/// Methods of a type with factors `inner` of `$number`s, whose blocks of vectors are `$dense`.
macro_rules! solutions {
    ($number:ty, $dense:ty) => {
        /// (x, l) with A x + G^T l = f, G x = g; f of length n, g of length m.
        ///
        /// Refined and checked in both blocks of rows. Multipliers of dependent rows have minimum norm. Errors: a right-hand
        /// side that is not finite, [`Inconsistent`](crate::SaddleError::Inconsistent),
        /// [`ResidualTooLarge`](crate::SaddleError::ResidualTooLarge).
        pub fn solve(
            &self,
            f: &[$number],
            g: &[$number],
        ) -> Result<(Vec<$number>, Vec<$number>), AlgebraError> {
            self.inner.solve_one(f, g)
        }

        /// X (n x p) and L (m x p) with A X + G^T L = F, G X = 0; F is n x p. Checked as one right-hand side is.
        ///
        /// Many columns at once cost a fraction of one by one.
        pub fn solve_block(&self, f: &$dense) -> Result<($dense, $dense), AlgebraError> {
            self.inner.solve_many(f, None, false)
        }

        /// The same with G X = `g`, m x p.
        ///
        /// # Panics
        /// When `f` and `g` do not have as many columns, or other numbers of rows than A and G.
        pub fn solve_block_with(&self, f: &$dense, g: &$dense) -> Result<($dense, $dense), AlgebraError> {
            self.inner.solve_many(f, Some(g), false)
        }

        /// What the factorization did.
        pub fn report(&self) -> &FactorReport {
            &self.inner.report
        }

        /// The furthest method that a solution has taken so far because those before it missed its residual; none as a rule.
        pub fn later_method(&self) -> Option<Method> {
            self.inner.later_method()
        }
    };
}

pub(super) use solutions;
