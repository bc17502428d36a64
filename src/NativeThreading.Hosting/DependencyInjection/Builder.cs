using Microsoft.Extensions.DependencyInjection;

namespace NativeThreading.Hosting;

internal sealed record Builder(string Name, IServiceCollection Services) : INativeThreadPoolBuilder;
