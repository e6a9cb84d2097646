/** One script for both: the page, and the worker that it starts out of this very text. */

import type { Report } from '../report.js';
import { openPage } from './page.js';
import { serveJobs } from './worker.js';

if ('document' in globalThis) openPage(reportIn(document), makeWorker);
else serveJobs();

function reportIn(page: Document): Report {
  return JSON.parse(page.querySelector('#report')?.textContent ?? '') as Report;
}

/** A page from a file has nothing to load a worker from but itself. */
function makeWorker(): Worker {
  const script = document.querySelector('#script')?.textContent ?? '';
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  return new Worker(address);
}
