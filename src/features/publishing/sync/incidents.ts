/** What happened to the content of this node, and is reported for a while. The most important is first. */
export const incidents = {
  dataLost:
    'Redis lost data, or was restored from an older state; the content was sent again. Check tokens, client keys and ' +
    'counts',
  changesLost:
    'Redis lost changes that this node had, for example in a failover, and another node has published since; copies of ' +
    'replaced files are in DATA_DIR/sync/replaced of this node',
  filesReplaced:
    'files of this node, which differed from the published ones, were replaced; copies are in DATA_DIR/sync/replaced ' +
    'of this node',
}
