'use strict';
// The module of dodona, asked: questions and answers as in bindings/c/dodona.h. For the page's worker, and for tests in Node.

/** Opens a compiled module with the files of models and machines, {path: text}. Resolves to a function that asks. */
async function openDodona(compiled, files) {
  const said = [];
  const dodona = await dodonaModule({
    instantiateWasm: function (imports, done) {
      WebAssembly.instantiate(compiled, imports).then(function (instance) { done(instance, compiled); });
      return {};
    },
    print: function (line) { said.push(line); },
    printErr: function (line) { said.push(line); },
  });
  /** The text in the memory of the module, to be freed: its place and its length. */
  function placed(text) {
    const length = dodona.lengthBytesUTF8(text), place = dodona._malloc(length + 1);
    dodona.stringToUTF8(text, place, length + 1);
    return { place: place, length: length };
  }
  for (const [path, text] of Object.entries(files)) {
    const name = placed(path), content = placed(text);
    dodona._explorer_put(name.place, content.place, content.length);
    dodona._free(content.place);
    dodona._free(name.place);
  }
  /** The answer to {command, arguments, options}: its exit code, its JSON as text, what is wrong, and what was noted. */
  return function (question) {
    const asked = placed(JSON.stringify(question));
    said.length = 0;
    const answer = dodona._dodona_ask(asked.place, asked.length);
    dodona._free(asked.place);
    const all = {
      code: dodona._dodona_code(answer),
      json: dodona.UTF8ToString(dodona._dodona_json(answer, 0)),
      message: dodona.UTF8ToString(dodona._dodona_message(answer, 0)),
      notes: said.slice(),
    };
    dodona._dodona_free(answer);
    return all;
  };
}
