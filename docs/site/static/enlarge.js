// A figure fills the window on a click, Enter or space; a click, Escape, Enter or space closes it.
document.addEventListener("DOMContentLoaded", () => {
    const view = document.createElement("dialog");
    view.className = "enlarged";
    view.append(document.createElement("img"));
    view.addEventListener("click", () => view.close());
    view.addEventListener("keydown", event => {
        if (["Enter", " ", "Escape"].includes(event.key)) {
            event.preventDefault();
            view.close();
        }
    });
    document.body.append(view);

    for (const figure of document.querySelectorAll("article img:not(a img, button img)")) {
        const open = () => {
            view.firstChild.src = figure.src;
            view.firstChild.alt = figure.alt;
            view.setAttribute("aria-label", figure.alt);
            view.showModal();
        };
        figure.tabIndex = 0;
        figure.classList.add("enlarges");
        figure.setAttribute("role", "button");
        figure.setAttribute("aria-label", `Enlarge: ${figure.alt}`);
        figure.addEventListener("click", open);
        figure.addEventListener("keydown", event => {
            if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                open();
            }
        });
    }
});
