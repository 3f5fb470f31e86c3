# errors.awk: how far estimates are off, in the metrics that simulators publish. Call error_add(MEASURED, ESTIMATED) for
# each row, in the same unit; then error_text(): the mean and the median of |estimated - measured| / measured, and
# Pearson's r of the two. With a group and a name as further arguments, error_pairs() then counts the pairs of a group
# whose times differ by 3 % or more, error_all, and those in the right order, error_right; it names the others.
function error_add(measured, estimated, group, name,    off) {
    off = estimated > measured ? estimated - measured : measured - estimated
    error_list[++error_rows] = 100 * off / measured
    error_sum += error_list[error_rows]
    error_x += measured; error_xx += measured * measured
    error_y += estimated; error_yy += estimated * estimated
    error_xy += measured * estimated
    error_real[error_rows] = measured; error_said[error_rows] = estimated
    error_group[error_rows] = group; error_name[error_rows] = name
}
function error_pairs(    i, j, longer) {
    for (i = 1; i <= error_rows; i++) for (j = 1; j < i; j++) {
        longer = error_real[i] - error_real[j]
        if (error_group[i] != error_group[j]) continue
        if (error_real[i] < 1.03 * error_real[j] && error_real[j] < 1.03 * error_real[i]) continue
        error_all++
        if (longer * (error_said[i] - error_said[j]) > 0) error_right++
        else print "order: " error_name[j] ", " error_name[i]
    }
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
