// Where a line must not end: within a short word of code, as after the hyphens of --estimate, and between a
// number and its %.
document.addEventListener("DOMContentLoaded", () => {
    for (const word of document.querySelectorAll("article code span.pre")) {
        word.classList.toggle("short", word.textContent.length <= 24 && !word.closest("table"));
    }
    const texts = document.createTreeWalker(document.querySelector("article") || document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode;
        if (/\d %/.test(text.data) && !text.parentElement.closest("pre, code, script, .math")) {
            text.data = text.data.replace(/(\d) %/g, "$1\u00a0%");
        }
    }
});
