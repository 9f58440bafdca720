import { OUTSIDE } from './.vitepress/pages.ts';
import { markdownOf } from './.vitepress/sources.ts';

const ROOT = new URL('../', import.meta.url);

/** The pages whose text is outside of docs/, and the decision records as one page. */
export default {
  paths: () =>
    [...Object.keys(OUTSIDE), 'decisions'].map((page) => ({ params: { page }, content: markdownOf(ROOT, page) })),
};
