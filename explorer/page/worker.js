'use strict';
// Behind dodona.js and ask.js in a worker of the page: {start: {compiled, files}} first, then {ask: question, number}.
let opened = null;

onmessage = async function (event) {
  const message = event.data;
  try {
    if (message.start) {
      opened = openDodona(message.start.compiled, message.start.files);
      await opened;
      return;
    }
    const ask = await opened;
    postMessage(Object.assign(ask(message.ask), { number: message.number }));
  } catch (error) {
    postMessage({ number: message.number, code: 70, json: '', message: 'the search failed: ' + error, notes: [] });
  }
};
