import { Argument, Command } from 'commander';
import { withExample } from './output.ts';

export function openapiCommand(): Command {
  const command = new Command('openapi')
    .description('Print the OpenAPI 3.1 document of an API, as served under /openapi/.')
    .addArgument(new Argument('<api>', 'which one').choices(['commerce', 'marketing', 'store', 'admin']))
    .option('--json', 'accepted for uniformity; the document is always JSON')
    .action(async (name: string) => {
      const [{ openapiDocument }, { adminDocument }, { commerceSurface }, { marketingSurface }, { storeSurface }, all] =
        await Promise.all([
          import('../http/openapi/document.ts'),
          import('../http/openapi/admin-document.ts'),
          import('../http/api/surfaces/commerce.ts'),
          import('../http/api/surfaces/marketing.ts'),
          import('../http/api/surfaces/store.ts'),
          import('../endpoints.ts'),
        ]);
      const { personEndpoints: person, adminEndpoints: admin } = all;
      const { commerceEndpoints: commerce, marketingEndpoints: marketing } = all;
      const documents: Record<string, () => object> = {
        admin: () => adminDocument({ person, admin, commerce, marketing }),
        commerce: () => openapiDocument(commerceSurface, commerce),
        marketing: () => openapiDocument(marketingSurface, marketing, all.marketingWebhooks),
        store: () => openapiDocument(storeSurface, all.storeEndpoints),
      };
      process.stdout.write(`${JSON.stringify(documents[name]!(), null, 2)}\n`);
    });
  return withExample(command, 'tradeloom openapi commerce > commerce.json');
}
