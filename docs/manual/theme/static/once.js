/* Results of the search: one line for each page, the best one, although several of its headings may match. */
document.addEventListener("DOMContentLoaded", () => {
    const seen = new Set();
    new MutationObserver((changes) => {
        for (const change of changes) {
            for (const line of change.addedNodes) {
                const link = line.tagName === "LI" && line.querySelector("a");
                if (!link) continue;
                const page = link.getAttribute("href").split("#")[0];
                if (seen.has(page)) line.remove();
                seen.add(page);
            }
        }
    }).observe(document.getElementById("search-results"), { childList: true, subtree: true });
});
