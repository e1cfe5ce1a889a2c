    // A tile of X^T G of the matrix `matrix` in registers s, at the vec4s `x_column` of x and `column` of g, from the rows
    // at `first_x` and `first_g`; columns past the last one are computed too. The matrix `centred` takes its inputs less
    // those of the sequence's first token, as the attention kernels do: the key gradients of a sequence sum to zero.
#repeat r GRADIENT_ROWS
    let x{r}_step = min(x_column + {r}u, p.x_stride - 1u) - x_column;
#repeat c GRADIENT_COLUMNS
    var s{r}_0_{c} = vec4<f32>(0.0);
    var s{r}_1_{c} = vec4<f32>(0.0);
    var s{r}_2_{c} = vec4<f32>(0.0);
    var s{r}_3_{c} = vec4<f32>(0.0);
#end
#end
#repeat c GRADIENT_COLUMNS
    let g{c}_step = min(column + {c}u, p.group_columns - 1u) - column;
#end
    let centre = select(0.0, 1.0, matrix == p.centred);
    var x_at = first_x + x_column;
    var g_at = first_g + matrix * p.group_columns + column;
    for (var sequence = 0u; sequence < p.sequences; sequence++) {
#repeat r GRADIENT_ROWS
        let first{r} = x[x_at + x{r}_step] * centre;
#end
        for (var token = 0u; token < p.tokens; token++) {
#repeat c GRADIENT_COLUMNS
            let g{c} = g[g_at + g{c}_step];
#end
#repeat r GRADIENT_ROWS
            let x{r} = x[x_at + x{r}_step] - first{r};
#repeat c GRADIENT_COLUMNS
            s{r}_0_{c} += x{r}.x * g{c};
            s{r}_1_{c} += x{r}.y * g{c};
            s{r}_2_{c} += x{r}.z * g{c};
            s{r}_3_{c} += x{r}.w * g{c};
#end
#end
            x_at += p.x_stride;
            g_at += p.g_stride;
        }
    }
