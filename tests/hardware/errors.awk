# errors.awk: how far estimates are off, in the metrics that simulators publish. Call error_add(MEASURED, ESTIMATED) for
# each row, in the same unit; then error_text(): the mean and the median of |estimated - measured| / measured, and
# Pearson's r of the two.
function error_add(measured, estimated,    off) {
    off = estimated > measured ? estimated - measured : measured - estimated
    error_list[++error_rows] = 100 * off / measured
    error_sum += error_list[error_rows]
    error_x += measured; error_xx += measured * measured
    error_y += estimated; error_yy += estimated * estimated
    error_xy += measured * estimated
}
function error_middle(    i, j, kept) {
    for (i = 2; i <= error_rows; i++) {
        kept = error_list[i]
        for (j = i - 1; j > 0 && error_list[j] > kept; j--) error_list[j + 1] = error_list[j]
        error_list[j + 1] = kept
    }
    i = int((error_rows + 1) / 2)
    return error_rows % 2 ? error_list[i] : (error_list[i] + error_list[i + 1]) / 2
}
function error_text(    n, spread) {
    n = error_rows
    if (!n) return "no row"
    spread = sqrt((n * error_xx - error_x * error_x) * (n * error_yy - error_y * error_y))
    return sprintf("MAPE %.1f %%, median absolute error %.1f %%, Pearson's r %s", error_sum / n, error_middle(),
        spread > 0 ? sprintf("%.4f", (n * error_xy - error_x * error_y) / spread) : "undefined")
}
