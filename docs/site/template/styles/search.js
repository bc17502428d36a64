// Searches the site without a server. DocFX's own search needs a worker and a request, which browsers forbid to pages that are opened as files.
// The index is a script (search-index.js, written by the target Site of build.cake); all words of the query must be in a page.
(function () {
  'use strict';
  const root = document.currentScript.dataset.root;
  const most = 40, around = 90;
  const input = document.getElementById('search-query');
  const pages = Object.values(window.searchIndex).map(page => ({
    href: page.href,
    title: page.title.replace(/\s*\|.*$/, ''),
    text: page.summary.replace(/\s+/g, ' '),
  }));
  for (const page of pages) page.title_ = page.title.toLowerCase(), page.text_ = page.text.toLowerCase();

  const results = document.createElement('div');
  results.id = 'site-results';
  results.className = 'container body-content';
  results.setAttribute('aria-live', 'polite');
  results.hidden = true;
  document.querySelector('[role=main]').before(results);

  /** A page's rank for words: a title counts more than a text, a whole title most. 0: a word is missing. */
  function rank(page, words) {
    let sum = page.title_ === words.join(' ') ? 1000 : 0;
    for (const word of words) {
      const times = page.text_.split(word).length - 1, named = page.title_.includes(word);
      if (times === 0 && !named) return 0;
      sum += (named ? 100 : 0) + Math.min(times, 20);
    }
    return sum;
  }

  function excerpt(page, words) {
    const at = Math.max(0, words.map(word => page.text_.indexOf(word)).find(place => place >= 0) ?? 0);
    const from = Math.max(0, at - around);
    return (from ? '… ' : '') + page.text.slice(from, at + 2 * around) + ' …';
  }

  /** Text with the words marked, without any markup of its own. */
  function marked(text, words) {
    const pattern = new RegExp(`(${words.map(word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'i');
    return text.split(pattern).map((part, index) => {
      if (index % 2 === 0) return document.createTextNode(part);
      const mark = document.createElement('mark');
      mark.textContent = part;
      return mark;
    });
  }

  function element(name, ...children) {
    const made = document.createElement(name);
    made.append(...children);
    return made;
  }

  function search() {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    results.hidden = words.length === 0;
    document.body.classList.toggle('searching', words.length !== 0);
    if (words.length === 0) return;
    const found = pages.map(page => ({ page, rank: rank(page, words) })).filter(hit => hit.rank).sort((a, b) => b.rank - a.rank);
    results.replaceChildren(element('p', `${found.length} pages contain “${input.value.trim()}”.`), ...found.slice(0, most).map(({ page }) => {
      const link = element('a', ...marked(page.title, words));
      link.href = root + page.href;
      return element('section', element('h4', link), element('p', ...marked(excerpt(page, words), words)));
    }));
  }

  input.addEventListener('input', search);
  input.form.addEventListener('submit', event => {
    event.preventDefault();
    results.querySelector('a')?.click();
  });
  document.addEventListener('keydown', event => {
    if (event.key === '/' && !/^(input|textarea)$/i.test(event.target.tagName)) event.preventDefault(), input.focus();
    if (event.key === 'Escape') input.value = '', search();
  });
})();
