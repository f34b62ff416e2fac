/* state.js -- the model's state before and after, and what has changed between them. */

const WORDS_COMPARED = 600;

function wordsOf(text) {
  return text.match(/[A-Za-z0-9_.#-]+|\s+|[^]/g) || [];
}

/* For each word of both, is it in the longest part that they have in common? */
function inCommon(a, b) {
  const length = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1));
  const kept = [new Uint8Array(a.length), new Uint8Array(b.length)];
  let i = 0, k = 0;

  for (let x = a.length - 1; x >= 0; x--)
    for (let y = b.length - 1; y >= 0; y--)
      length[x][y] = a[x] === b[y] ? length[x + 1][y + 1] + 1
                                   : Math.max(length[x + 1][y], length[x][y + 1]);
  while (i < a.length && k < b.length) {
    if (a[i] === b[k])
      kept[0][i++] = kept[1][k++] = 1;
    else if (length[i + 1][k] >= length[i][k + 1])
      i++;
    else
      k++;
  }
  return kept;
}

/* The words, and those that the other state lacks marked. */
function marked(words, kept, tag) {
  const out = make("code", {class: "state"});

  words.forEach((word, i) => {
    out.append(kept[i] || /^\s+$/.test(word) ? word : make(tag, {}, word));
  });
  return out;
}

function stateChange(before, after) {
  const a = wordsOf(before || ""), b = wordsOf(after || "");
  const comparable = before && after && Math.max(a.length, b.length) <= WORDS_COMPARED;
  const kept = comparable ? inCommon(a, b) : [a.map(() => 1), b.map(() => 1)];
  const list = make("dl", {class: "states"});

  if (before)
    list.append(make("dt", {}, "before"), make("dd", {}, marked(a, kept[0], "del")));
  if (after)
    list.append(make("dt", {}, "after"), make("dd", {}, marked(b, kept[1], "ins")));
  if (before && after && before === after)
    list.append(make("dt", {}, ""), make("dd", {class: "faint"}, "nothing has changed"));
  return list;
}
