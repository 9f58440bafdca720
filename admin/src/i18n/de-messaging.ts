import campaigns from './de/campaigns.json';
import flowBuilder from './de/flow-builder.json';
import templates from './de/templates.json';

export default {
  ...campaigns,
  ...flowBuilder,
  ...templates,
};
