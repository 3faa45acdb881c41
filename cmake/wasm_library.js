/* System calls for programs under node, in the place of emscripten 3.1.6's.  That finds open files by their paths, which
   fails for files without a name, and its poll looks for operations that files of NODERAWFS lack. */
mergeInto(LibraryManager.library, {
  /* A read waits by itself, so every file is ready.  struct pollfd: int fd; short events, revents. */
  __syscall_poll: function (descriptors, n) {
    for (var i = 0; i < n; i++) HEAP16[(descriptors + 8 * i + 6) >> 1] = HEAP16[(descriptors + 8 * i + 4) >> 1];
    return n;
  },
  __syscall_fstat64: function (descriptor, out) {
    var stream = SYSCALLS.getStreamFromFD(descriptor);
    return SYSCALLS.doStat(function () { return fs.fstatSync(stream.nfd); }, stream.path, out);
  },
  /* The copy has a position of its own. */
  __syscall_dup3: function (descriptor, copy) {
    var stream = SYSCALLS.getStreamFromFD(descriptor);
    if (descriptor === copy) return -ERRNO_CODES.EINVAL;
    var accessMode = stream.flags & 3;
    var nfd = fs.openSync('/dev/fd/' + stream.nfd, accessMode);
    if (FS.streams[copy]) FS.close(FS.streams[copy]);
    FS.streams[copy] = Object.assign({}, stream, {fd: copy, nfd: nfd, flags: accessMode});
    return copy;
  },
  __syscall_dup3__deps: ['$ERRNO_CODES', '$FS'],
});
