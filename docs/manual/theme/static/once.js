/* Results of the search: one line for each page, the best one, although several of its headings may match. */
document.addEventListener("DOMContentLoaded", () => {
    const seen = new Set(), results = document.getElementById("search-results");
    const look = (line) => {
        const link = line.tagName === "LI" && line.querySelector("a");
        if (!link) return;
        const page = link.getAttribute("href").split("#")[0];
        if (seen.has(page)) line.remove();
        seen.add(page);
    };
    new MutationObserver((changes) => {
        for (const change of changes) change.addedNodes.forEach(look);
    }).observe(results, { childList: true, subtree: true });
    results.querySelectorAll("li").forEach(look); // The search begins before this event.
});
