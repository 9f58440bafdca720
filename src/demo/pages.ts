import type { FastifyInstance } from 'fastify';
import { type ProviderUrls, stripeScript, stripeSources } from '../commerce/payments/service.ts';
import type { ShopCache } from '../commerce/shop.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/pool.ts';
import { AppError } from '../errors.ts';
import { PAGES_POLICY, readStaticFiles, sendFile } from '../http/pages/static-files.ts';
import { findInstallation } from '../installation.ts';
import type { StoreKeysService } from '../store/keys/service.ts';
import { pictureOf } from './pictures.ts';

const STOREFRONT = new URL('../../examples/storefront/', import.meta.url);
const CONFIG = 'config.json';
/** Pictures of products may be on any host. */
const POLICY = PAGES_POLICY.replace("img-src 'self' data:", 'img-src http: https: data:');

/** For a shop that takes cards. Stripe.js knows no trusted types, and styles its frames inline. */
function policyWith(urls: ProviderUrls): string {
  const own = POLICY.split('; ').filter((one) => !/^(script|connect|frame|style)-src|^require-trusted/.test(one));
  return [...own, ...stripeSources(urls), "style-src 'self' 'unsafe-inline'"].join('; ');
}

interface DemoPagesDeps {
  config: Pick<Config, 'mode' | 'paymentUrls'>;
  db: Db;
  shops: ShopCache;
  storeKeys: Pick<StoreKeysService, 'listStoreKeys'>;
}

/** The pictures of the demo shop's products, drawn by the program itself, and its storefront: the example, with a key of the shop. */
export function demoPages(server: FastifyInstance, { config, db, shops, storeKeys }: DemoPagesDeps): void {
  server.get('/demo/images/:file', (request, reply) => {
    const { file } = request.params as { file: string };
    const picture = file.endsWith('.svg') ? pictureOf(file.slice(0, -4)) : undefined;
    if (picture === undefined) throw new AppError('not_found', 'Not found');
    return reply
      .header('Content-Type', 'image/svg+xml; charset=utf-8')
      .header('Cache-Control', 'public, max-age=86400')
      .send(picture);
  });
  if (config.mode === 'production') return;
  const files = readStaticFiles(STOREFRONT, ['html', 'js', 'css', 'json']);

  /** The key that the storefront uses, and whether it needs Stripe.js. Throws not_found without a demo shop or a key of it. */
  async function findShop(): Promise<{ key: string; takesCards: boolean }> {
    const { demo } = await findInstallation(db.strangers);
    const keys = demo === null ? [] : (await storeKeys.listStoreKeys(demo.company_id)).store_keys;
    const found = keys.find(({ revoked_at }) => revoked_at === null);
    if (found === undefined) throw new AppError('not_found', 'There is no demo shop with a store key');
    const { paymentAccounts } = await shops.get(demo!.company_id);
    return {
      key: found.key,
      takesCards: paymentAccounts.some(({ provider, active }) => provider === 'stripe' && active),
    };
  }

  server.get('/shop', (_request, reply) => reply.redirect('/shop/'));
  server.get('/shop/*', async (request, reply) => {
    const name = (request.params as { '*': string })['*'] || 'index.html';
    const file = files.get(name);
    if (file === undefined) throw new AppError('not_found', 'Not found');
    const { key, takesCards } = await findShop();
    const policy = takesCards ? policyWith(config.paymentUrls) : POLICY;
    if (name !== CONFIG) return sendFile(request, reply, { file, cacheControl: 'no-cache', policy });
    const example: object = JSON.parse(file.bytes.get('identity')!.toString());
    return reply
      .header('Cache-Control', 'no-store')
      .send({ ...example, url: '', key, stripe: stripeScript(config.paymentUrls) });
  });
}
