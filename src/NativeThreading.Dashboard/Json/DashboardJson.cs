using System.Text.Json.Serialization;

namespace NativeThreading.Dashboard.Json;

/// <summary>Serialization without reflection, for trimmed and native applications.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(Sample))]
[JsonSerializable(typeof(StacksSample))]
internal sealed partial class DashboardJson : JsonSerializerContext;
