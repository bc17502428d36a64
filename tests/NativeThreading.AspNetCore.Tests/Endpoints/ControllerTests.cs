using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Mvc;
using Microsoft.AspNetCore.Mvc.ApplicationParts;
using Microsoft.AspNetCore.Mvc.Controllers;
using Microsoft.Extensions.DependencyInjection;
using NativeThreading.AspNetCore.Tests.Support;
using NativeThreading.Tests.Support;

namespace NativeThreading.AspNetCore.Tests.Endpoints;

/// <summary>Actions of controllers: by convention for all, by attribute for one.</summary>
public sealed class ControllerTests
{
    [Fact]
    public async Task AllControllers_RunOnThePool()
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.MapControllers().RunOnNativeThreadPool("reports"), services => AddController(services, typeof(PlainController)));

        Assert.Equal("reports reports", await app.GetAsync("/plain"));
    }

    [Fact]
    public async Task ControllersInAGroup_RunOnThePoolOfTheGroup()
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.MapGroup("/group").RunOnNativeThreadPool("reports").MapControllers(), services => AddController(services, typeof(PlainController)));

        Assert.Equal("reports reports", await app.GetAsync("/group/plain"));
    }

    [Theory]
    [InlineData("/marked", "reports reports")]
    [InlineData("/marked/own", "other other")]
    [InlineData("/plain", "runtime runtime")]
    [InlineData("/mixed/marked", "reports reports")]
    [InlineData("/mixed/plain", "runtime runtime")]
    public async Task Attribute_RunsTheActionOnThePool(string path, string places)
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.MapControllers(), services => AddController(services, typeof(PlainController), typeof(MarkedController), typeof(MixedController)));

        Assert.Equal(places, await app.GetAsync(path));
    }

    [Fact]
    public async Task Attribute_WorksWithConventionalRoutes()
    {
        await using TestApp app = await TestApp.StartAsync(
            app => app.MapControllerRoute("default", "{controller}/{action}"), services => AddController(services, typeof(ConventionalController)));

        Assert.Equal("reports", await app.GetAsync("/conventional/marked"));
        Assert.Equal(Where.Runtime, await app.GetAsync("/conventional/plain"));
    }

    internal static void AddController(IServiceCollection services, params Type[] controllers) => services
        .AddMvcCore()
        .ConfigureApplicationPartManager(manager =>
        {
            manager.ApplicationParts.Clear();
            manager.FeatureProviders.Clear();
            manager.FeatureProviders.Add(new OnlyThese(controllers));
            manager.ApplicationParts.Add(new AssemblyPart(typeof(ControllerTests).Assembly));
        });

    private static async Task<string> PlacesAsync()
    {
        string first = Where.AmI;
        await Elsewhere.CompleteAsync();
        return $"{first} {Where.AmI}";
    }

    /// <summary>Tests bring controllers that the others must not see.</summary>
    private sealed class OnlyThese(Type[] controllers) : IApplicationFeatureProvider<ControllerFeature>
    {
        public void PopulateFeature(IEnumerable<ApplicationPart> parts, ControllerFeature feature)
        {
            foreach (Type controller in controllers)
            {
                feature.Controllers.Add(System.Reflection.IntrospectionExtensions.GetTypeInfo(controller));
            }
        }
    }

    [Route("/plain")]
    public sealed class PlainController : ControllerBase
    {
        [HttpGet]
        public Task<string> Get() => PlacesAsync();
    }

    [Route("/marked")]
    [RunOnNativeThreadPool("reports")]
    public sealed class MarkedController : ControllerBase
    {
        [HttpGet]
        public Task<string> Get() => PlacesAsync();

        [HttpGet("own")]
        [RunOnNativeThreadPool("other")]
        public Task<string> Own() => PlacesAsync();
    }

    [Route("/mixed")]
    public sealed class MixedController : ControllerBase
    {
        [HttpGet("marked")]
        [RunOnNativeThreadPool("reports")]
        public Task<string> Marked() => PlacesAsync();

        [HttpGet("plain")]
        public Task<string> Plain() => PlacesAsync();
    }

    public sealed class ConventionalController : ControllerBase
    {
        [RunOnNativeThreadPool("reports")]
        public string Marked() => Where.AmI;

        public string Plain() => Where.AmI;
    }

    [Route("/lost")]
    [RunOnNativeThreadPool("nowhere")]
    public sealed class LostController : ControllerBase
    {
        [HttpGet]
        public string Get() => "";
    }
}
