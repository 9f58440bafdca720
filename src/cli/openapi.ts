import { Argument, Command } from 'commander';
import { withExample } from './output.ts';

export function openapiCommand(): Command {
  const command = new Command('openapi')
    .description('Print the OpenAPI 3.1 document of an interface, as the server gives it under /openapi/.')
    .addArgument(new Argument('<interface>', 'which one').choices(['commerce', 'marketing']))
    .option('--json', 'accepted for uniformity: the document is JSON always')
    .action(async (name: string) => {
      const [{ openapiDocument }, { commerceSurface }, { marketingSurface }, routes] = await Promise.all([
        import('../http/openapi.ts'),
        import('../http/commerce.ts'),
        import('../http/marketing.ts'),
        import('../routes.ts'),
      ]);
      const document =
        name === 'commerce'
          ? openapiDocument(commerceSurface, routes.commerceRoutes)
          : openapiDocument(marketingSurface, routes.marketingRoutes);
      process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    });
  return withExample(command, 'tradeloom openapi commerce > commerce.json');
}
