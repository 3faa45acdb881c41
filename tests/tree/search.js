/* Searches the manual for the words in `queries`, and writes the first three pages of each to the document: one line of
   "words: page page page".  tests/tree/manual.sh adds it to the page of the search, whose script keeps all hits in
   window.hits. */
addEventListener("load", () => {
  const list = document.createElement("pre");
  list.id = "searched";
  list.textContent = queries
    .map((words) => {
      Search.query(words);
      const pages = [];
      for (const hit of window.hits.slice().reverse()) if (pages.length < 3 && !pages.includes(hit[0])) pages.push(hit[0]);
      return words + ": " + pages.join(" ");
    })
    .join("\n");
  document.body.append(list);
});
