/* Drives Chromium by its protocol over a pipe, for web.sh: node web.js BROWSER FOLDER URL [SHOTS].  Waits until the page
   has trained, draws digits by the mouse and by a finger, and checks the answers. */
'use strict';
const {spawn} = require('child_process');
const fs = require('fs');
const [browser, scratch, url, shots] = process.argv.slice(2);

/* Digits by hand, as strokes of straight lines in hundredths of a square, y downwards; not those of src/data/digits. */
const digits = [
  [0, [[50, 3], [25, 12], [12, 35], [10, 60], [22, 88], [48, 97], [75, 88], [90, 60], [86, 30], [72, 10], [50, 3]]],
  [0, [[60, 0], [35, 30], [30, 70], [45, 98], [65, 75], [72, 30], [62, 2]]],
  [1, [[50, 0], [50, 100]]],
  [1, [[60, 0], [45, 100]]],
  [1, [[30, 30], [55, 2], [55, 100]]],
  [2, [[15, 25], [30, 8], [60, 5], [80, 20], [78, 40], [50, 65], [15, 95], [85, 95]]],
  [2, [[10, 20], [40, 0], [75, 15], [70, 45], [20, 92], [10, 100], [90, 100]]],
  [3, [[20, 10], [60, 5], [80, 22], [65, 42], [45, 48], [70, 55], [82, 75], [60, 95], [18, 88]]],
  [3, [[15, 5], [85, 5], [45, 40], [80, 60], [75, 90], [40, 100], [10, 88]]],
  [4, [[25, 5], [20, 55], [80, 55]], [[65, 30], [65, 98]]],
  [4, [[60, 5], [10, 65], [85, 65]], [[60, 5], [60, 98]]],
  [5, [[75, 5], [30, 5], [26, 45], [55, 38], [80, 58], [75, 85], [45, 97], [18, 88]]],
  [5, [[30, 5], [25, 42], [65, 40], [80, 65], [65, 92], [20, 95]], [[30, 5], [80, 3]]],
  [6, [[65, 5], [35, 30], [20, 65], [30, 92], [60, 95], [75, 75], [60, 55], [30, 60]]],
  [6, [[55, 0], [25, 45], [15, 75], [35, 100], [70, 95], [80, 70], [55, 55], [22, 68]]],
  [7, [[12, 8], [85, 8], [45, 97]]],
  [7, [[10, 5], [85, 3], [50, 50], [40, 100]], [[35, 50], [70, 48]]],
  [8, [[50, 48], [25, 30], [35, 8], [65, 6], [75, 28], [50, 48], [22, 70], [35, 95], [68, 94], [80, 70], [50, 48]]],
  [8, [[75, 15], [45, 0], [22, 20], [75, 72], [55, 100], [22, 85], [35, 55], [72, 25]]],
  [9, [[75, 25], [50, 8], [28, 25], [40, 45], [70, 40], [76, 22], [72, 60], [60, 97]]],
  [9, [[75, 10], [40, 5], [22, 30], [45, 50], [75, 38], [75, 10], [75, 100]]],
];
/* Sizes and places of the drawings on the paper, as shares of its side: [left, top, width, height]. */
const places = [[0.2, 0.15, 0.6, 0.7], [0.05, 0.05, 0.35, 0.45], [0.55, 0.5, 0.3, 0.45]];
const LEAST_ACCURACY = 0.9, MOST_WRONG = 3; /* of 500 digits, as shares; of the 63 drawings */

const child = spawn(browser, ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--disable-extensions',
  '--user-data-dir=' + scratch + '/user', '--remote-debugging-pipe', 'about:blank'],
  {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
const waiting = new Map();
const problems = [];
let count = 0, rest = Buffer.alloc(0), session;

child.stdio[4].on('data', bytes => {
  rest = Buffer.concat([rest, bytes]);
  for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
    const message = JSON.parse(rest.subarray(0, end).toString());
    if (message.method === 'Runtime.exceptionThrown') problems.push(message.params.exceptionDetails.exception.description);
    if (message.method === 'Network.requestWillBeSent' && message.params.request.url.startsWith('http'))
      problems.push('the page loads ' + message.params.request.url);
    const answer = waiting.get(message.id);
    if (answer) message.error ? answer.no(new Error(message.error.message)) : answer.yes(message.result);
    waiting.delete(message.id);
  }
});
child.on('exit', () => { for (const answer of waiting.values()) answer.no(new Error('the browser ended')); });

function ask(method, params = {}) {
  const id = ++count;
  child.stdio[3].write(JSON.stringify({id, method, params, sessionId: session}) + '\0');
  return new Promise((yes, no) => waiting.set(id, {yes, no}));
}
async function value(expression) {
  const {result, exceptionDetails} = await ask('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
  if (exceptionDetails) throw new Error(expression + ': ' + exceptionDetails.exception.description);
  return result.value;
}
const pause = ms => new Promise(yes => setTimeout(yes, ms));
const check = (well, words) => { if (!well) problems.push(words); };

async function open(width, height, dark, touch) {
  await ask('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: touch});
  await ask('Emulation.setTouchEmulationEnabled', {enabled: touch});
  await ask('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]});
}
async function shot(name) {
  if (!shots) return;
  const {data} = await ask('Page.captureScreenshot', {captureBeyondViewport: true});
  fs.writeFileSync(`${shots}/${name}.png`, Buffer.from(data, 'base64'));
}

/* Draw strokes at a place of the paper, and return the page's answer. */
async function draw(strokes, [left, top, width, height], touch) {
  await value(`$('clear').click(); paper.scrollIntoView({block: 'center'})`);
  const box = await value(`(({left, top, width, height}) => ({left, top, width, height}))(paper.getBoundingClientRect())`);
  for (const stroke of strokes) {
    for (const [i, [x, y]] of stroke.entries()) {
      const at = {x: box.left + box.width * (left + width * x / 100), y: box.top + box.height * (top + height * y / 100)};
      if (touch) await ask('Input.dispatchTouchEvent', {type: i ? 'touchMove' : 'touchStart', touchPoints: [at]});
      else await ask('Input.dispatchMouseEvent', {type: i ? 'mouseMoved' : 'mousePressed', button: 'left', buttons: 1,
        clickCount: 1, ...at});
      if (i === stroke.length - 1 && !touch)
        await ask('Input.dispatchMouseEvent', {type: 'mouseReleased', button: 'left', clickCount: 1, ...at});
    }
    if (touch) await ask('Input.dispatchTouchEvent', {type: 'touchEnd', touchPoints: []});
  }
  await value('new Promise(yes => requestAnimationFrame(() => requestAnimationFrame(yes)))');
  const points = strokes.reduce((n, stroke) => n + stroke.length, 0), got = await value('strokes.flat().length');
  check(got === points, `${points} points were drawn and ${got} arrived`);
  return Number(await value('root.dataset.guess'));
}

async function main() {
  const {targetId} = await ask('Target.createTarget', {url: 'about:blank'});
  session = (await ask('Target.attachToTarget', {targetId, flatten: true})).sessionId;
  for (const part of ['Page', 'Runtime', 'Network']) await ask(part + '.enable');
  await open(1280, 900, false, false);
  await ask('Page.navigate', {url});
  for (let i = 0; i < 600 && !await value(`document.documentElement && document.documentElement.dataset.state`); i++) await pause(50);
  await shot('web-begun');
  let longest = 0;
  for (let i = 0; i < 6000 && await value('root.dataset.state') === 'training'; i++) {
    const start = Date.now();
    await value('new Promise(yes => requestAnimationFrame(yes))');
    longest = Math.max(longest, Date.now() - start);
    await pause(50);
  }
  const state = await value('root.dataset.state'), accuracy = Number(await value('root.dataset.accuracy'));
  if (state !== 'trained') throw new Error(`the page is ${state}: ` + await value(`$('failure').textContent`));
  console.log(`web: ${(100 * accuracy).toFixed(1)} % of 500 digits after ` +
    `${Number(await value('root.dataset.seconds')).toFixed(1)} s; longest wait for a picture ${longest} ms`);
  check(accuracy >= LEAST_ACCURACY, `the accuracy is ${accuracy}`);
  check(await value(`$('curve').querySelectorAll('svg path, svg polyline').length`) > 0, 'there is no curve');

  const wrong = [];
  for (const [i, place] of places.entries())
    for (const [k, [digit, ...strokes]] of digits.entries()) {
      const touch = i === 1;
      if (k === 0) await open(touch ? 390 : 1280, 844, i === 2, touch);
      const answer = await draw(strokes, place, touch);
      if (answer !== digit) wrong.push(`${digit} (drawing ${k}, place ${i}) as ${answer}`);
      if (k === 20 || k === 5) await shot(`web-${touch ? 390 : 1280}-${i === 2 ? 'dark' : 'light'}-${digit}`);
    }
  const wide = await value('document.documentElement.scrollWidth > innerWidth');
  await open(390, 844, true, true);
  await draw(digits[11].slice(1), places[0], true);
  await shot('web-390-dark-5');
  check(!wide && !await value('document.documentElement.scrollWidth > innerWidth'), 'the page is wider than the screen');
  console.log(`web: ${digits.length * places.length - wrong.length} of ${digits.length * places.length} drawings right`);
  check(wrong.length <= MOST_WRONG, wrong.join('; '));
  await value(`$('clear').click()`);
  await value('new Promise(yes => requestAnimationFrame(() => requestAnimationFrame(yes)))');
  check(await value('root.dataset.guess') === '-1', 'an empty paper has an answer');
  await value(`$('again').click()`);
  check(await value('root.dataset.state') === 'training' && await value('tyto._digits_steps() < STEPS'), 'nothing is trained again');
}
main().catch(error => problems.push(error.message)).then(() => {
  child.kill();
  console.log('web: ' + (problems.length ? problems.join('; ') : 'well'));
  process.exitCode = problems.length ? 1 : 0;
});
