/** One script for the page and for its worker, which the page starts from this same text. */

import type { Report } from '../report.js';
import { openPage } from './page.js';
import { serveJobs } from './worker.js';

if ('document' in globalThis) openPage(reportIn(document), makeWorker);
else serveJobs();

function reportIn(page: Document): Report {
  return JSON.parse(page.querySelector('#report')?.textContent ?? '') as Report;
}

/** A page that was opened from a file can load a worker only from itself. */
function makeWorker(): Worker {
  const script = document.querySelector('#script')?.textContent ?? '';
  const address = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  return new Worker(address);
}
