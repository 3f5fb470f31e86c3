// A table wider than the text scrolls in its own frame, which the keyboard can reach, too. A counter's name in its head
// may break after each part; a step's name is not broken, or takes two lines.
document.addEventListener("DOMContentLoaded", () => {
    for (const table of document.querySelectorAll("article table.docutils")) {
        for (const head of table.querySelectorAll("th p")) {
            head.innerHTML = head.innerHTML.replaceAll("_", "_<wbr>");
        }
        for (const name of table.querySelectorAll("td:first-child p")) {
            name.classList.toggle("whole", !name.textContent.includes(" "));
            name.classList.toggle("step", /^\d\d-/.test(name.textContent));
        }
        const frame = document.createElement("div");
        frame.className = "wide-table";
        table.replaceWith(frame);
        frame.append(table);
        if (frame.scrollWidth > frame.clientWidth) {
            frame.tabIndex = 0;
            frame.setAttribute("role", "region");
            frame.setAttribute("aria-label", "table; scroll sideways");
        }
    }
});
