// Sets the formulas of the page. A formula that KaTeX does not understand stays as text, and the console reports it.
document.addEventListener("DOMContentLoaded", () => {
    for (const place of document.querySelectorAll(".math")) {
        const text = place.textContent;
        try {
            katex.render(text, place, { displayMode: place.tagName === "DIV", throwOnError: true });
        } catch (error) {
            console.error(`formula ${text}: ${error.message}`);
        }
    }
});
