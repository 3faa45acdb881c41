/* System calls for programs under node, in the place of emscripten 3.1.6's.  That finds open files by their paths, which
   fails for files without a name, and its poll looks for operations that files of NODERAWFS lack. */
mergeInto(LibraryManager.library, {
  /* Returns the result of a call, or the negative errno of the exception that it throws. */
  $resultOfCall: function (call) {
    try {
      return call();
    } catch (e) {
      if (e instanceof FS.ErrnoError) return -e.errno;
      if (e.code in ERRNO_CODES) return -ERRNO_CODES[e.code];
      throw e;
    }
  },
  $resultOfCall__deps: ['$ERRNO_CODES', '$FS'],
  /* A read waits by itself, so every open file is ready.  struct pollfd: int fd; short events, revents. */
  __syscall_poll: function (descriptors, n) {
    var POLLNVAL = 32, ready = 0;
    for (var i = 0; i < n; i++) {
      var at = descriptors + 8 * i, descriptor = HEAP32[at >> 2], events = HEAP16[(at + 4) >> 1];
      if (descriptor < 0) events = 0;
      else if (!FS.getStream(descriptor)) events = POLLNVAL;
      HEAP16[(at + 6) >> 1] = events;
      if (events) ready++;
    }
    return ready;
  },
  __syscall_poll__deps: ['$FS'],
  __syscall_fstat64: function (descriptor, out) {
    return resultOfCall(function () {
      var stream = SYSCALLS.getStreamFromFD(descriptor);
      return SYSCALLS.doStat(function () { return fs.fstatSync(stream.nfd); }, stream.path, out);
    });
  },
  __syscall_fstat64__deps: ['$resultOfCall', '$SYSCALLS'],
  /* The copy has a position of its own. */
  __syscall_dup3: function (descriptor, copy) {
    return resultOfCall(function () {
      var stream = SYSCALLS.getStreamFromFD(descriptor);
      if (descriptor === copy) return -ERRNO_CODES.EINVAL;
      var accessMode = stream.flags & 3;
      var nfd = fs.openSync('/dev/fd/' + stream.nfd, accessMode);
      if (FS.streams[copy]) FS.close(FS.streams[copy]);
      FS.streams[copy] = Object.assign({}, stream, {fd: copy, nfd: nfd, flags: accessMode});
      return copy;
    });
  },
  __syscall_dup3__deps: ['$ERRNO_CODES', '$FS', '$SYSCALLS', '$resultOfCall'],
});
