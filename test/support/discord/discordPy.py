"""Reads all public forums of the double with discord.py, then waits for one message.

Prints a line of JSON for each thread, `ready`, and the message. Arguments: base of the API, gateway, token.
"""

import json
import sys

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

Route.BASE = sys.argv[1]
DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"{sys.argv[2]}/")

client = discord.Client(
    intents=discord.Intents(guilds=True, guild_messages=True, message_content=True)
)


def is_public(channel):
    everyone = channel.permissions_for(channel.guild.default_role)
    return everyone.view_channel and everyone.read_message_history and not channel.nsfw


@client.event
async def on_ready():
    for guild in client.guilds:
        for channel in guild.channels:
            if isinstance(channel, discord.ForumChannel) and is_public(channel):
                await print_threads(channel)
    print("ready", flush=True)


async def print_threads(channel):
    threads = {thread.id: thread for thread in channel.threads}
    async for thread in channel.archived_threads(limit=None):
        threads[thread.id] = thread
    for thread in threads.values():
        messages = [str(message.id) async for message in thread.history(limit=None)]
        print(json.dumps([str(thread.id), thread.name, messages]), flush=True)


@client.event
async def on_message(message):
    print(message.content, flush=True)
    await client.close()


client.run(sys.argv[3], log_handler=None)
