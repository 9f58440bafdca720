import { expect, test } from 'vitest';
import { isMachine } from './bot-detection.ts';

const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15';

test.each<[string, Record<string, string>, boolean]>([
  ['GET', { 'user-agent': SAFARI }, false],
  [
    'GET',
    { 'user-agent': 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)' },
    false,
  ],
  ['GET', { 'user-agent': 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html' }, false],
  ['GET', { 'user-agent': 'Mozilla/5.0' }, true],
  ['GET', {}, true],
  ['HEAD', { 'user-agent': SAFARI }, true],
  ['GET', { 'user-agent': SAFARI, 'sec-purpose': 'prefetch;prerender' }, true],
  ['GET', { 'user-agent': 'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)' }, true],
  ['GET', { 'user-agent': 'BarracudaCentral/1.0' }, true],
  ['GET', { 'user-agent': 'curl/8.5.0' }, true],
])('%s %j: %s', (method, headers, machine) => {
  expect(isMachine(method, headers)).toBe(machine);
});
