# One image for the API, the indexer and the command line; the command says which of them runs.
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY services services
COPY shared shared
RUN npm run build

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev && npm cache clean --force
COPY --from=build /app/dist dist
COPY bin bin
COPY scripts/lib/project.js scripts/lib/run.js scripts/lib/
RUN ln -s /app/bin/forum-archive.js /usr/local/bin/forum-archive
# A volume that is mounted there for the first time gets this owner.
RUN install --directory --owner node --group node --mode 700 /mirror
USER node
EXPOSE 3000
CMD ["node", "dist/services/api/main.js"]
