/** Loads a server: `load <url> <path prefix> <ids> <seconds>`. Prints requests a second and latencies (ms) as JSON. */
import autocannon from 'autocannon';

const [url = '', prefix = '', ids = '1', seconds = '5'] = process.argv.slice(2);
const paths = Array.from({ length: Number(ids) }, (_, n) => `${prefix}${n + 1}`);
const pick = () => paths[Math.floor(Math.random() * paths.length)] ?? '/';

const result = await autocannon({
  url,
  connections: 50,
  duration: Number(seconds),
  requests: [
    {
      headers: { 'accept-encoding': 'gzip' },
      setupRequest: (request) => ({ ...request, path: pick() }),
    },
  ],
});
const { requests, latency, non2xx, errors } = result;
console.log(
  JSON.stringify({
    perSecond: requests.average,
    p50: latency.p50,
    p99: latency.p99,
    non2xx,
    errors,
  }),
);
