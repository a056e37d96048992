/** A component of a config, by its file. */
export const job = (name: string, more: object = {}) => ({
  [`${name}.toml`]: { name, type: "job", image_url: "busybox", ...more },
});
/** A config of the app of tests with these components. */
export const shopWith = (components: object) => ({ "metadata.toml": { name: "shop" }, components });

/** Four components that need one another. */
export const chain = shopWith({
  ...job("db", { labels: { team: "data", tier: "1" } }),
  ...job("web", { dependencies: ["db"], labels: { team: "web" }, var_name: "front" }),
  "image.toml": { name: "image", type: "container_image", public: { image_url: "i", tag: "1" } },
  "chart.toml": {
    name: "chart",
    type: "helm_chart",
    chart_name: "c",
    helm_repo: { repo_url: "https://charts.example.com", chart: "c" },
    values: { image: "{{ .svc.components.image.image.digest }}", n: 2 },
    dependencies: ["web"],
  },
});
