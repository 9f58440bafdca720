import { OUTSIDE } from './.vitepress/pages.ts';
import { markdownOf } from './.vitepress/sources.ts';

const ROOT = new URL('../', import.meta.url);

/** The pages whose text is outside of docs/. */
export default {
  paths: () => Object.keys(OUTSIDE).map((page) => ({ params: { page }, content: markdownOf(ROOT, page) })),
};
