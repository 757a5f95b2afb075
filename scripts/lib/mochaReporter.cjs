const { writeFileSync } = require('node:fs');
const { reporters, Runner } = require('mocha');

/** Mocha's usual report. It also writes the counts as JSON to the file that the reporter option `file` names. */
module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures } = this.stats;
      const counts = { passed: passes, failed: failures };
      writeFileSync(options.reporterOptions.file, JSON.stringify(counts));
    });
  }
};
