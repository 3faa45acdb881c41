/* What page.sh has a browser run behind a page: keys alone, names that are attacks, folding, comparing, every view.  Its
   result stands in <html data-result="...">. */
'use strict';
const problems = [];
const check = (well, words) => { if (!well) problems.push(words); };
addEventListener('error', e => problems.push(e.message));
addEventListener('securitypolicyviolation', e => problems.push('loads ' + e.blockedURI));

function press(key, target = document.activeElement, more = {}) {
  target.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, ...more}));
}
function keysAlone() {
  for (const id of ['view', 'colour', 'find', 'fit', 'closer', 'farther', 'fold', 'unfold', 'other', 'graph', 'details', 'map'])
    check($(id).tabIndex >= 0 && $(id).getClientRects().length, id + ' is not reached by Tab');
  canvas.focus();
  press('ArrowRight');
  check(chosen === boxes[0], 'an arrow chooses nothing');
  check($('details').textContent.includes(titleOf(boxes[0])), 'there are no details');
  const order = [chosen];
  for (let i = 1; i < boxes.length; i++) press('ArrowRight'), order.push(chosen);
  check(new Set(order).size === boxes.length, 'arrows do not reach every box');
  press('Home');
  check(chosen === boxes[0], 'Home');
  const outer = boxes.find(b => b.node && b.node.subs.length);
  check(outer, 'nothing has a program inside');
  const before = boxes.length;
  choose(outer);
  press('Enter');
  check(boxes.length > before, 'Enter unfolds nothing');
  press('ArrowDown');
  check(chosen.scope.parent, 'the arrow down does not go into a program inside');
  press('Backspace');
  check(boxes.length === before && chosen.node === outer.node, 'Backspace folds nothing');
  const was = scale;
  press('+');
  check(scale > was, '+ does not zoom');
  press('-');
  press('0');
  press('PageDown');
  press('ArrowLeft', canvas, {shiftKey: true});
  press('/');
  check(document.activeElement === $('find'), '/ does not go to the search');
  $('find').value = 'loop';
  $('find').dispatchEvent(new Event('input'));
  check(found.size && $('found').querySelectorAll('button').length, 'nothing is found');
  press('Enter');
  check(chosen && nodesOf(chosen).some(n => found.has(n)), 'Enter goes to nothing that was found');
  press('Escape');
  check(!found.size && document.activeElement === canvas, 'Esc does not leave the search');
  press('Escape');
  check(!chosen, 'Esc leaves the choice');
  map.focus();
  press('ArrowRight');
  check(chosen && nodesOf(chosen)[0].i === 0, 'arrows do not go through the memory');
}
function everyView() {
  for (let v = 0; v < views.length; v++) {
    $('view').value = v;
    $('view').onchange();
    for (const option of $('colour').options) {
      $('colour').value = option.value;
      $('colour').onchange();
      foldAll(false);
      draw();
      drawNow();
      for (const b of boxes) choose(b);
      foldAll(true);
    }
  }
  $('view').value = 0;
  $('view').onchange();
}
function besideAnother() {
  const text = '<script type="application/json" id="data">' + $('data').textContent + '</' + 'script>';
  const other = readPage(text);
  compare(other, 'itself');
  check($('diff').textContent.includes('the kernels are the same'), 'a page differs from itself');
  other.report.arena_bytes += 4096;
  other.flow.kernels[0].attributes = 'another';
  other.flow.kernels[1].workspace = (other.flow.kernels[1].workspace || 0) + 1024;
  compare(other, 'another');
  check($('diff').textContent.includes('arena bytes') && $('diff').querySelectorAll('tr').length >= 5, 'differences are missing');
  let said = '';
  try { readPage('<p>'); } catch (e) { said = e.message; }
  check(said.includes('expected a page'), 'any file is a page');
}
/* `layers` equal layers of four kernels, as page_flow.c writes them. */
function flowOf(layers, name) {
  const kernels = [], blocks = [['variable', name, 4096, -1, 0, 4 * layers]], regions = [];
  for (let i = 0; i < 4 * layers; i++) {
    const reads = i ? [[i, 'f32[32,32]', [i - 1]], [0, 'f32[32,32]', []]] : [[0, 'f32[32,32]', []]];
    kernels.push({op: 'op' + i % 4, kind: 'map', core: 1, name: 'op' + i % 4, in: reads, out: [[i + 1, 'f32[32,32]', []]],
      attributes: i ? name : 'first', bytes: 4096, flops: 1024});
    blocks.push(['arena', 'b' + (i + 1), 4096, i, i, i + 1]);
    regions.push([i, i + 1, 4096, 4096 * (i % 2), i + 1]);
  }
  return {arena: 8192, live: 8192, kernels, blocks, regions, outputs: []};
}
function show(flow) {
  root = views[0].scope = flowScope(flow, 'made up');
  chosen = hot = null;
  arrange();
  fit();
  drawNow();
}
function largeOnes() {
  show(flowOf(2500, 'w'));
  check(boxes.length <= 8, boxes.length + ' boxes of 2500 equal layers');
  check(boxes.some(b => b.run && b.run.times >= 2498 && b.run.period === 4), 'layers are not folded');
  canvas.focus();
  while (!chosen || !chosen.run) press('ArrowRight');
  press('Enter');
  check(boxes.length > 9000, 'layers are not unfolded');
  drawNow();
  press('Backspace');
  check(boxes.length <= 8, 'layers are not folded again');
}
/* Edges stay out of the boxes between their ends, for kernels that read the results of several before them. */
function edgesGoAround() {
  for (const layers of [8, 13, 125]) { /* 32, 52 and 500 kernels */
    const flow = flowOf(layers, 'w');
    flow.kernels.forEach((k, i) => {
      for (const far of [3, 7, 12]) if (i >= far) k.in.push([i - far + 1, 'f32[32,32]', [i - far]]);
      k.op = k.name = 'op' + i; /* nothing is folded */
    });
    show(flow);
    const apart = (p, q) => p.X + p.w / 2 <= q.X - q.w / 2 || q.X + q.w / 2 <= p.X - p.w / 2 || p.Y + p.h <= q.Y || q.Y + q.h <= p.Y;
    let crossed = 0, over = 0;
    boxes.forEach((p, i) => { for (const q of boxes.slice(i + 1)) over += !apart(p, q); });
    for (const {a, b, way} of wires)
      for (const [x, above, below] of way)
        for (const box of boxes)
          crossed += box !== a && box !== b && Math.abs(box.X - x) < box.w / 2 && box.Y < below && box.Y + box.h > above;
    check(boxes.length === 4 * layers, boxes.length + ' boxes of ' + 4 * layers + ' kernels');
    check(wires.some(w => w.way.length >= 8), 'no edge is long');
    check(!crossed, crossed + ' edges cross boxes of ' + 4 * layers);
    check(!over, over + ' boxes of ' + 4 * layers + ' lie over others');
    for (const {a, b, way} of wires) check(way.length === b.layer - a.layer - 1, 'an edge has no bend in a layer that it passes');
  }
}
function origins() {
  const flow = flowOf(2, 'block1.conv.weight');
  Object.assign(flow.kernels[0], {layer: 'stem.conv', file: '/src/a b/net.c', line: 42, apart: ['b7', 'both are "products"']});
  flow.kernels[1].file = 'javascript:alert(1)';
  show(flow);
  choose(itemOf(root.nodes[0]));
  const words = $('details').textContent, link = $('details').querySelector('a');
  check(words.includes('stem.conv') && words.includes('b7: both are "products"'), 'details lack the layer or the reason');
  check(link && link.getAttribute('href') === 'file:///src/a%20b/net.c#L42' && link.textContent === 'net.c:42', 'no link to the source');
  choose(itemOf(root.nodes[1]));
  check(!$('details').querySelector('a'), 'a scheme is a link');
  check($('details').textContent.includes('block1.conv'), 'a parameter does not name the layer');
  $('find').value = 'stem.conv';
  $('find').dispatchEvent(new Event('input'));
  check(found.size === 1, 'a layer is not found');
  $('find').value = '';
  search();
}
/* A path of layers that does not fit keeps its end. */
function longPaths() {
  const flow = flowOf(2, 'w'), written = [];
  flow.kernels[1].layer = 'features.denseblock1.denselayer1.conv2';
  show(flow);
  const write = pen.fillText;
  pen.fillText = function (words, ...at) { written.push(words); write.call(pen, words, ...at); };
  drawNow();
  delete pen.fillText;
  check(written.some(words => words.startsWith('\u2026') && words.endsWith('.conv2')), 'a layer loses its end: ' + written.join(' | '));
}
function fitted() {
  show(flowOf(40, 'w'));
  foldAll(false);
  fit();
  check(scale >= READABLE, 'the words of a fitted graph are too small');
  $('fit').onclick();
  check(scale < READABLE && root.h * scale <= canvas.clientHeight, 'Fit shows ' + root.h * scale + ' of ' + canvas.clientHeight + ' at ' + scale);
}
function attacks() {
  const name = '<img src=x onerror="problems.push(\'a name runs\')"></' + 'script>&amp;"\'';
  show(flowOf(3, name));
  for (const b of boxes) choose(b);
  check($('details').textContent.includes(name), 'a name is not shown as it is');
  check(!document.querySelector('img'), 'a name is an element');
}

for (const part of [keysAlone, everyView, besideAnother, largeOnes, edgesGoAround, origins, longPaths, fitted, attacks])
  try { part(); } catch (e) { problems.push(part.name + ': ' + e.message); }
setTimeout(() => { document.documentElement.dataset.result = problems.length ? problems.join('; ') : 'well'; }, 100);
