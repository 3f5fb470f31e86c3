// X-rays in frames: as high as their content, in the colours of the page.
document.addEventListener("DOMContentLoaded", () => {
    const frames = [...document.querySelectorAll("figure.xray iframe")];
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const theme = () => {
        const chosen = document.body.dataset.theme;
        return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
    };
    const tell = frame => frame.contentWindow.postMessage({ theme: theme() }, "*");
    const tellAll = () => frames.forEach(tell);

    for (const frame of frames) {
        frame.addEventListener("load", () => tell(frame));
    }
    window.addEventListener("message", ({ source, data }) => {
        const frame = frames.find(each => each.contentWindow === source);
        if (frame && data && Number.isFinite(data.xray)) {
            frame.style.height = `${Math.min(data.xray + 12, 1400)}px`;
        }
    });
    tellAll(); // those that have loaded already
    new MutationObserver(tellAll).observe(document.body, { attributeFilter: ["data-theme"] });
    dark.addEventListener("change", tellAll);
});
