    // The squares of the tile in registers s, without what lies past the last row and column, added to `squares`.
    var bits = vec4<u32>(0u);
#repeat r GRADIENT_ROWS
    let x{r}_counts = select(1.0, 0.0, x_column + {r}u >= p.x_stride);
#repeat c GRADIENT_COLUMNS
    let counts{r}_{c} = select(x{r}_counts, 0.0, column + {c}u >= p.group_columns);
    s{r}_0_{c} *= counts{r}_{c};
    s{r}_1_{c} *= counts{r}_{c};
    s{r}_2_{c} *= counts{r}_{c};
    s{r}_3_{c} *= counts{r}_{c};
    bits = max(bits, max(magnitudes(s{r}_0_{c}), magnitudes(s{r}_1_{c})));
    bits = max(bits, max(magnitudes(s{r}_2_{c}), magnitudes(s{r}_3_{c})));
#end
#end
    let largest = largest_of(bits);
    let unit = unit_of(largest);
    var in_units = vec4<f32>(0.0);
#repeat r GRADIENT_ROWS
#repeat c GRADIENT_COLUMNS
    s{r}_0_{c} *= unit;
    s{r}_1_{c} *= unit;
    s{r}_2_{c} *= unit;
    s{r}_3_{c} *= unit;
    in_units += s{r}_0_{c} * s{r}_0_{c} + s{r}_1_{c} * s{r}_1_{c};
    in_units += s{r}_2_{c} * s{r}_2_{c} + s{r}_3_{c} * s{r}_3_{c};
#end
#end
    add_squares_in_units(&squares, dot(in_units, vec4<f32>(1.0)), unit, largest);
