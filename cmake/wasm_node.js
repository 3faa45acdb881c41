/* A program under node: environment variables of the process, its terminals, and names of its descriptors, which dup2
   changes in this module alone. */
Module.preRun = function () {
  if (typeof ENV !== 'undefined') Object.assign(ENV, process.env);
  if (typeof FS === 'undefined' || !FS.open) return;
  var open = FS.open, begin = FS.createStandardStreams;
  FS.createStandardStreams = function () {
    begin();
    for (var i = 0; i < 3; i++) FS.streams[i].tty = require('tty').isatty(i);
  };
  FS.open = function (path, flags, mode, descriptor) {
    var named = /^\/dev\/(?:stdin|fd\/(\d+))$/.exec(path), stream = named && FS.streams[named[1] || 0];
    return open(stream ? '/dev/fd/' + stream.nfd : path, flags, mode, descriptor);
  };
};
