import { Argument, Command } from 'commander';
import { withExample } from './output.ts';

export function openapiCommand(): Command {
  const command = new Command('openapi')
    .description('Print the OpenAPI 3.1 document of an API, as the server gives it under /openapi/.')
    .addArgument(new Argument('<api>', 'which one').choices(['commerce', 'marketing']))
    .option('--json', 'accepted for uniformity: the document is JSON always')
    .action(async (name: string) => {
      const [{ openapiDocument }, { commerceSurface }, { marketingSurface }, endpoints] = await Promise.all([
        import('../http/openapi/document.ts'),
        import('../http/api/commerce.ts'),
        import('../http/api/marketing.ts'),
        import('../endpoints.ts'),
      ]);
      const document =
        name === 'commerce'
          ? openapiDocument(commerceSurface, endpoints.commerceEndpoints)
          : openapiDocument(marketingSurface, endpoints.marketingEndpoints);
      process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    });
  return withExample(command, 'tradeloom openapi commerce > commerce.json');
}
